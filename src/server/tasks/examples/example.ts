/** A task that ships with the program: what its `task.yaml` would say, and its files. */
export type Example = {readonly task: unknown; readonly files: Readonly<Record<string, string>>};
