/** The result of a command or a job, in parts. */
export type CommandResult = {
	/** What the agent notes beside the output, such as that the user changed the command. */
	readonly notes: readonly string[];
	readonly output: string;
	/** How it ended, such as `exit status 1`; undefined for success and if it doesn't say. */
	readonly end: string | undefined;
};

const note = /^\[(.+)\]$/;
const endOfJob = /^\[(job \S+ (?:ended: |is running).*)\]$/;
const noOutput = /^\((?:no output|no new output)\)$/;

/** Reads the result of a call of `run_command` or `job_output`: notes in brackets, the output, how it ended in brackets. */
export function readCommandResult(name: string, result: string): CommandResult {
	const lines = result.split('\n');
	const isEnd = (line: string) => (name === 'job_output' ? endOfJob : note).test(line);
	// What became of other jobs stands behind.
	const tail = lines.findLastIndex(line => !note.test(line)) + 1;
	const end = name === 'job_output' ? lines.findIndex((line, index) => index >= tail && isEnd(line)) : lines.length - 1;
	const hasEnd = isEnd(lines[end] ?? '');
	const from = name === 'job_output' ? 0 : lines.findIndex(line => !note.test(line));
	const body = lines.slice(Math.max(0, from), hasEnd ? end : lines.length);
	return {
		notes: [...lines.slice(0, Math.max(0, from)), ...(hasEnd ? lines.slice(end + 1) : [])],
		output: body.filter(line => !noOutput.test(line)).join('\n'),
		end: hasEnd ? shortEnd(note.exec(lines[end] ?? '')?.[1] ?? '') : undefined,
	};
}

/** Returns what the line of a call doesn't say: it has the job, and how long the command took. */
function shortEnd(end: string): string | undefined {
	const short = end
		.replace(/^job \S+ (?:ended: |is )/, '')
		.replace(/^((?:exit status|signal) .*?) after [\d.hms ]+$/, '$1');
	return short === 'exit status 0' ? undefined : short;
}
