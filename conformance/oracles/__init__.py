"""What is true, as formulas in numpy: what claims about layers and optimizers compare with."""
