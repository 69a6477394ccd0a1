"""Rules about tools that are valid, but that hosts and the models behind them refuse or misread."""
