import {isUtf8} from 'node:buffer';
import {formatBytes} from '../../core/format.ts';
import type {PackedChange, PackedChanges} from '../../core/packed-changes.ts';
import {pathText} from '../paths/path-text.ts';
import {selfStarting} from '../policy/self-starting-files.ts';
import {describeChange} from '../tools/files/change-file.ts';
import {modesOf, programMode, runGit} from './repository.ts';

/** Files whose lines are shown; of more, only the names are. */
const maxShown = 200;

/** Returns changes as the lines of a diff, file by file. Untrusted. Files that another program runs unasked say so. */
export async function describeChanges(top: string, {commit, changes}: PackedChanges): Promise<readonly string[]> {
	const lines: string[] = [];
	const committed = await modesOf(top, commit);
	for (const [index, change] of changes.entries()) {
		const starts = selfStarting(`/${change.path}`);
		lines.push(
			`${titleOf(change, committed.get(change.path))}${starts ? `  (${starts.program} runs it ${starts.when})` : ''}`,
			...(index < maxShown ? await linesOf(top, commit, change) : []),
		);
	}

	return lines;
}

/** `mode` is that of the commit; undefined for what it hasn't. */
function titleOf({path, kind, content = '', permissions = 0}: PackedChange, mode: string | undefined): string {
	const name = pathText(path);
	const act = mode === undefined ? 'new' : 'changed';
	const isProgram = (permissions & 0o111) !== 0;
	const wasProgram = mode === programMode;
	const turned =
		mode === undefined || isProgram === wasProgram ? '' : isProgram ? ', a program now' : ', no program now';
	switch (kind) {
		case 'gone':
			return `deleted ${name}`;
		case 'link':
			return `${act} link ${name} -> ${pathText(Buffer.from(content, 'base64').toString('utf8'))}`;
		default:
			return `${act} ${isProgram ? 'program' : 'file'} ${name}${turned}`;
	}
}

async function linesOf(
	top: string,
	commit: string,
	{path, kind, content = ''}: PackedChange,
): Promise<readonly string[]> {
	if (kind !== 'file') {
		return [];
	}

	const bytes = Buffer.from(content, 'base64');
	if (!isUtf8(bytes) || bytes.includes(0)) {
		return [`  binary, ${formatBytes(bytes.length)}`];
	}

	const before = await runGit(top, ['cat-file', 'blob', `${commit}:${path}`]).catch(() => '');
	const {diff} = describeChange(path, before, bytes.toString('utf8')).exact;
	return diff === '' ? [] : diff.split('\n').map(line => `  ${line}`);
}
