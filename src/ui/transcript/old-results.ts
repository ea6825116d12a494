import type {ToolFacts} from '../../core/session/event.ts';

/**
 * Reads the facts of a result out of its text, for journals of versions that recorded none. Tools whose results have facts
 * need nothing here.
 */
export function readFacts(name: string, result: string): ToolFacts | undefined {
	switch (name) {
		case 'read_file': {
			const lines = result.split('\n').filter(line => /^\d+\t/.test(line)).length;
			// A result without numbered lines is an image.
			return lines === 0 ? undefined : {lines, left: leftOut(result)};
		}
		case 'list_files':
			return {files: pathsIn(result).length, left: leftOut(result)};
		case 'search_text': {
			const paths = pathsIn(result).flatMap(line => /^(.+?):\d+:/.exec(line)?.[1] ?? []);
			return {matches: paths.length, files: new Set(paths).size, left: leftOut(result)};
		}
		case 'run_command':
		case 'job_output':
			return commandFacts(name, result.split('\n'));
		case 'ask_user':
			return result.startsWith(answered) ? {from: answered.length} : {};
		case 'todo':
			return {};
		default:
			return undefined;
	}
}

const answered = 'The user answered: ';

/** Remarks of the tools stand in brackets, a line each. */
function pathsIn(result: string): readonly string[] {
	return result.split('\n').filter(line => line !== '' && !/^\[.*\]$/.test(line));
}

/** Returns how many lines the remarks say are left out. */
function leftOut(result: string): number {
	const counts = result.matchAll(/^\[(?:… )?(\d+) (?:more )?(?:of \d+ )?(?:lines|files)?.*left out/gm);
	return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
}

const note = /^\[(.+)\]$/;
const endOfJob = /^\[(job \S+ (?:ended: |is running).*)\]$/;
const noOutput = /^\((?:no output|no new output)\)$/;

/** Notes in brackets, the output, how the command ended in brackets. What became of other jobs stands behind that of a job. */
function commandFacts(name: string, lines: readonly string[]): ToolFacts {
	const isJob = name === 'job_output';
	const isEnd = (line: string) => (isJob ? endOfJob : note).test(line);
	const tail = lines.findLastIndex(line => !note.test(line)) + 1;
	const endAt = isJob ? lines.findIndex((line, index) => index >= tail && isEnd(line)) : lines.length - 1;
	const hasEnd = isEnd(lines[endAt] ?? '');
	const above = isJob
		? 0
		: Math.max(
				0,
				lines.findIndex(line => !note.test(line)),
			);
	const below = hasEnd ? lines.length - endAt : 0;
	const body = lines.slice(above, lines.length - below).filter(line => !noOutput.test(line));
	const count = body.join('\n') === '' ? 0 : body.length - (body.at(-1) === '' ? 1 : 0);
	return {lines: count, above, below, ...(hasEnd && endFacts(note.exec(lines[endAt] ?? '')?.[1] ?? ''))};
}

function endFacts(text: string): ToolFacts {
	const end = text
		.replace(/^job \S+ (?:ended: |is )/, '')
		.replace(/^((?:exit status|signal) .*?) after [\d.hms ]+$/, '$1');
	const status = /^exit status (\d+)/.exec(end)?.[1];
	const ended = end.startsWith('running') ? {} : {status: status === undefined ? null : Number(status)};
	return end === 'exit status 0' ? {status: 0} : {...ended, end};
}
