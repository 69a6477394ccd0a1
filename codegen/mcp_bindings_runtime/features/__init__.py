"""What servers and clients offer, above the methods: each module is loaded when its feature is used."""
