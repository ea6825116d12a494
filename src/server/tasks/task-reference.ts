import type {Task} from './task.ts';

/** `[org/]name[@version]`. */
export type TaskReference = {readonly organization?: string; readonly name: string; readonly version?: string};

const pattern = /^(?:(\w[\w.-]{0,199})\/)?([a-z\d][a-z\d._-]{0,99})(?:@([\dA-Za-z][\dA-Za-z.+-]{0,63}))?$/;

/** Reads a reference; undefined where it is none. */
export function parseReference(text: string): TaskReference | undefined {
	const [whole, organization, name = '', version] = pattern.exec(text) ?? [];
	return whole === undefined ? undefined : {name, ...(organization && {organization}), ...(version && {version})};
}

/**
 * Returns the task that a caller of `organization` means: without an organization in the reference, its own tasks come
 * before public ones; with one, the task must belong to it, and be the caller's organization's or public. Without
 * a version it is the highest.
 */
export function resolveReference(
	tasks: readonly Task[],
	reference: TaskReference,
	organization: string,
): Task | undefined {
	const possible = tasks.filter(
		task =>
			task.name === reference.name &&
			(reference.version === undefined || task.version === reference.version) &&
			(reference.organization === undefined || task.owner === reference.organization) &&
			isFor(task, organization),
	);
	const own = possible.filter(task => task.owner === organization);
	return [...(own.length > 0 ? own : possible)].sort((a, b) => compareVersions(b.version, a.version))[0];
}

/** True for what an organization may use: its own tasks and the public ones. */
export function isFor(task: Pick<Task, 'owner' | 'public'>, organization: string): boolean {
	return task.owner === organization || task.public;
}

/** Orders versions by their numbers; a pre-release (`1.0.0-beta`) comes before its release, as semver.org says. */
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
