/** A bundled task: the content of its `task.yaml`, and its files. */
export type Example = {readonly task: unknown; readonly files: Readonly<Record<string, string>>};
