import type {TaskDefinition} from './task-schema.ts';

/** A task that can be run: its definition, and what stands in the workspace at first. */
export type Task = TaskDefinition & {
	/** The files beside `task.yaml`, by relative path. Throws `AppError` where they cannot be read or are too much. */
	readonly readFiles: () => Promise<ReadonlyMap<string, string | Uint8Array>>;
};

/** The variable that tells a task's program the port of a service. */
export function portVariable({services}: Pick<TaskDefinition, 'services'>, name: string): string {
	const isOnly = Object.keys(services).length === 1;
	return services[name]?.env ?? (isOnly ? 'PORT' : `${name.toUpperCase()}_PORT`);
}
