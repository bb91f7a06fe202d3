"""lbp.dimod of a checkout, for scripts beside this file."""
import lbp  # noqa: F401
from lbp.dimod import LbpSampler, library, model  # noqa: F401
