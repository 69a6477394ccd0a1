"""The client's side of HTTP; ``wire`` needs the extra ``http``."""
