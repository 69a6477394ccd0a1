"""The validation of access tokens by a server that requires them."""
