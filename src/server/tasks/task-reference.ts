import type {Task} from './task.ts';

/** `[org/]name[@version]`. */
export type TaskReference = {readonly organization?: string; readonly name: string; readonly version?: string};

const pattern = /^(?:(\w[\w.-]{0,199})\/)?([a-z\d][a-z\d._-]{0,99})(?:@([\dA-Za-z][\dA-Za-z.+-]{0,63}))?$/;

/** Parses a reference; returns undefined if it is invalid. */
export function parseReference(text: string): TaskReference | undefined {
	const [whole, organization, name = '', version] = pattern.exec(text) ?? [];
	return whole === undefined ? undefined : {name, ...(organization && {organization}), ...(version && {version})};
}

/**
 * Returns the task that a caller of `organization` refers to. Without an organization in the reference, the caller's
 * own tasks take precedence over public ones; with one, the task must belong to it, and be public or the caller's own.
 * Without a version, the highest one is returned.
 */
export function resolveReference(
	tasks: readonly Task[],
	reference: TaskReference,
	organization: string,
): Task | undefined {
	const candidates = tasks.filter(
		task =>
			task.name === reference.name &&
			(reference.version === undefined || task.version === reference.version) &&
			(reference.organization === undefined || task.owner === reference.organization) &&
			isUsableBy(task, organization),
	);
	const own = candidates.filter(task => task.owner === organization);
	return [...(own.length > 0 ? own : candidates)].sort((a, b) => compareVersions(b.version, a.version))[0];
}

/** Returns whether an organization may use a task: its own tasks and public ones. */
export function isUsableBy(task: Task, organization: string): boolean {
	return task.owner === organization || task.public;
}

/** Compares versions by their numbers. A pre-release (`1.0.0-beta`) comes before its release (semver.org). */
export function compareVersions(left: string, right: string): number {
	const [leftCore = '', ...leftMore] = left.split('-');
	const [rightCore = '', ...rightMore] = right.split('-');
	const byCore = byNumber.compare(leftCore, rightCore);
	if (byCore !== 0 || (leftMore.length === 0 && rightMore.length === 0)) {
		return byCore;
	}

	return leftMore.length === 0
		? 1
		: rightMore.length === 0
			? -1
			: byNumber.compare(leftMore.join('-'), rightMore.join('-'));
}

const byNumber = new Intl.Collator('en', {numeric: true});
