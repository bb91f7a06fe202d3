"""lbp.dimod of a checkout, for scripts next to this file."""
import lbp  # noqa: F401
from lbp.dimod import LbpSampler, library, model  # noqa: F401
