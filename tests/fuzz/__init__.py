"""Looking for texts that decoding does not handle as it says: ``nox -s fuzz``."""
