draw = BashOperator.partial(
    task_id="draw",
    cwd="/data",
    append_env=True,
    retries=3,
    bash_command="exec tacet apply --input visits --plan plan.json --run-key /keys/run.key --run-id 2026-11-23 "
    "--drop destination,distance --output published --shard $SHARD",
).expand(env=[{"SHARD": f"{i}/7"} for i in range(1, 8)])
