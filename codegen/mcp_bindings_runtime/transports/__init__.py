"""Transports move messages; ``transport`` says what one has to do, and how to add one. Each is loaded when used."""

from .transport import CLOSED_HERE as CLOSED_HERE
from .transport import CLOSED_THERE as CLOSED_THERE
from .transport import LONGEST as LONGEST
from .transport import RelatedMessage as RelatedMessage
from .transport import Transport as Transport
from .transport import Unanswered as Unanswered
from .transport import check_timeout as check_timeout
