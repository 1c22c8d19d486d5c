"""Every GraphQL document of the project: one operation a file, loaded by name.

`load` returns one document; `compose` joins several into one request, each under its own alias and
with its own variables, because GitHub bills a request by the connections in it and rounds: a
hundred pages of a hundred connections cost one point together and a hundred points apart. Both can
leave out optional fields that an older server does not know.

`schema` is the part of GitHub's schema that the documents are checked against.
"""

from queries._documents import NAMES, Document, compose, load, variables
from queries._schema import schema

__all__ = ["NAMES", "Document", "compose", "load", "schema", "variables"]
