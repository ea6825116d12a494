import type {TaskDefinition} from './task-schema.ts';

/** A runnable task: its definition and the initial files of its workspace. */
export type Task = TaskDefinition & {
	/**
	 * Returns the files beside `task.yaml` by relative path. Throws AppError if they can't be read or are too large.
	 */
	readonly readFiles: () => Promise<ReadonlyMap<string, string | Uint8Array>>;
};

/** Returns the name of the variable with a service's port. */
export function portVariable({services}: TaskDefinition, name: string): string {
	const isOnly = Object.keys(services).length === 1;
	return services[name]?.env ?? (isOnly ? 'PORT' : `${name.toUpperCase()}_PORT`);
}
