"""The one kind of array there is."""
import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
