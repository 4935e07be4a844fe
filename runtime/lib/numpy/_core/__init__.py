"""Where NumPy 2 keeps its insides. Here it holds only what pickled arrays name."""
