import subprocess
import threading

import pyarrow as pa


def redraw(source, plan, *flags):
    """A pyarrow.RecordBatchReader of the reader `source`, with the column of the plan redrawn."""
    tacet = subprocess.Popen(
        ["tacet", "apply", "--plan", plan, "--part-of-plan", "--log-format", "errors", "--input", "-", "--output", "-", *flags],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    failed = []

    def feed():
        try:
            with tacet.stdin:
                writer = pa.ipc.new_stream(tacet.stdin, source.schema)
                for batch in source:
                    writer.write_batch(batch)
                writer.close()  # writes the end-of-stream marker: not where the source fails
        except BrokenPipeError:
            pass  # tacet has ended, and said why
        except BaseException as error:
            failed.append(error)

    feeder = threading.Thread(target=feed, daemon=True)
    feeder.start()

    def end():
        tacet.stdout.close()
        code = tacet.wait()
        feeder.join()
        if failed:
            raise failed[0]
        if code != 0:
            raise RuntimeError(f"tacet apply ended with exit code {code}: what came out must not be used")

    def drawn():
        try:
            yield from out
        except pa.ArrowInvalid:
            pass  # the stream is cut off, and end says why
        end()

    try:
        out = pa.ipc.open_stream(tacet.stdout)
    except pa.ArrowInvalid:
        end()
        raise
    return pa.RecordBatchReader.from_batches(out.schema, drawn())
