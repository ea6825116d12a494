import {setTimeout as sleep} from 'node:timers/promises';
import type {Place} from '../e2e/program.ts';
import {startTerminal, type TestTerminal} from '../e2e/terminal.ts';

/** Starts a command in a terminal, and says yes to whatever it asks. `ended` resolves to its exit status. */
export function agreeing(
	args: readonly string[],
	place: Place,
): {readonly terminal: TestTerminal; readonly ended: Promise<number | undefined>} {
	const terminal = startTerminal({...place, columns: 150, rows: 50, args});
	let isOver = false;
	const ended = terminal.exit().then(({status}) => {
		isOver = true;
		return status;
	});
	const answer = async () => {
		for (let answered = 0; !isOver; await sleep(20)) {
			const asked = terminal.output().split('[y/N]').length - 1;
			if (asked > answered) {
				answered = asked;
				terminal.type('y\r');
			}
		}
	};
	void answer();
	return {terminal, ended};
}
