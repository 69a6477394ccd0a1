"""Features of servers and clients above the methods; each module is loaded when its feature is used."""
