"""The history source: what was resolved when, and how far that is proven, from the corpus alone.

No database, no network, nothing written: a checkout is enough. With a live client (`Live`) the
census is taken and drifted conversations are read up to now, in memory.
"""

from syncer.history.ask import Choose, Overview, ResolutionFilter
from syncer.history.census import CensusReport, CensusStatus, Drift, Live, LiveCensus
from syncer.history.errors import ChangingError, NoCorpusError, UnknownOriginError
from syncer.history.live import LiveClient
from syncer.history.lookup import Found
from syncer.history.nodes import NodeKind, NodeRef, by_id, nodes_of
from syncer.history.rows import Problem, Row, Rows, State
from syncer.history.selected import Resolution, Selected, Standing
from syncer.history.selection import Selection
from syncer.history.source import Corpus, History

__all__ = [
    "CensusReport",
    "CensusStatus",
    "ChangingError",
    "Choose",
    "Corpus",
    "Drift",
    "Found",
    "History",
    "Live",
    "LiveCensus",
    "LiveClient",
    "NoCorpusError",
    "NodeKind",
    "NodeRef",
    "Overview",
    "Problem",
    "Resolution",
    "ResolutionFilter",
    "Row",
    "Rows",
    "Selected",
    "Selection",
    "Standing",
    "State",
    "UnknownOriginError",
    "by_id",
    "nodes_of",
]
