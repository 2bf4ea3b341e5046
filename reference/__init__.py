"""A small reverse-mode automatic differentiation, written to be read.

The core is a lecture in six parts: modes, graph, tensor, primitives, engine, views. It runs by
itself. Around it lie the operations (elementwise, shaping, reductions, indexing) and what is built
on them (methods, function, gradcheck).
"""

# ruff: noqa: F403  (each module of operations says by `__all__` what it offers)

from . import elementwise, errors, indexing, reductions, shaping
from . import methods as methods  # binds the operators
from .elementwise import *
from .engine import backward, grad
from .errors import AutogradError
from .function import Function, once_differentiable
from .gradcheck import gradcheck, jacobian
from .graph import Node
from .hooks import saved_tensors_hooks
from .indexing import *
from .modes import enable_grad, is_grad_enabled, no_grad, set_grad_enabled
from .primitives import REGISTRY, Primitive
from .reductions import *
from .shaping import *
from .tensor import Tensor, Version

detach, detach_ = Tensor.detach, Tensor.detach_

__all__ = [
    "REGISTRY", "AutogradError", "Function", "Node", "Primitive", "Tensor", "Version", "backward",
    "detach", "detach_", "enable_grad", "errors", "grad", "gradcheck", "is_grad_enabled",
    "jacobian", "no_grad", "once_differentiable", "saved_tensors_hooks", "set_grad_enabled",
]  # fmt: skip
__all__ += elementwise.__all__
__all__ += indexing.__all__
__all__ += reductions.__all__
__all__ += shaping.__all__
