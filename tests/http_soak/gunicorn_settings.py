"""Settings of gunicorn, as ``docs/http.md`` says: a worker that has to stop ends its streams."""

import faulthandler
import signal
from threading import Thread

worker_class = "gthread"
workers = 2
threads = 32
worker_connections = 150
graceful_timeout = 10
accesslog = None


def post_worker_init(worker):
    stop = signal.getsignal(signal.SIGTERM)

    def close(number, frame):
        Thread(target=worker.wsgi.close).start()
        stop(number, frame)

    signal.signal(signal.SIGTERM, close)


def worker_abort(worker):
    """Show what a worker that does not stop waits for."""
    faulthandler.dump_traceback()
