"""An executable specification of automatic differentiation, and its conformance suite."""
