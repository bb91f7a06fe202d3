"""The package lbp of a checkout, not installed: for scripts next to this file. Elsewhere: pip install ."""
import importlib.util
import os
import sys

_folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "packaging", "python", "lbp")
if not os.path.isdir(_folder):
    raise ImportError("lbp.py finds the package only in a checkout, at ../../packaging/python/lbp; elsewhere: pip install .")
_spec = importlib.util.spec_from_file_location("lbp", os.path.join(_folder, "__init__.py"), submodule_search_locations=[_folder])
sys.modules["lbp"] = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(sys.modules["lbp"])
