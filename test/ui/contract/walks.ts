import type {Cell} from './cell.ts';
import type {ContractTerminal} from './emulated-terminal.ts';
import {hide, type Opened, show} from './opened.ts';

type Size = readonly [columns: number, rows: number];

/** Longer than the app takes to draw at a new size, so that it draws everything at each. */
const stepMs = 400;

/** What a command that opens something leaves above the prompt. */
const commands = /.\/(?:settings|review-one)(?:Nothingchanged\.)?/g;

/** Returns everything above the prompt but commands, without white space, however wide its rows are. */
function textAbove(terminal: ContractTerminal): string {
	const rows = [...terminal.scrollback(), ...terminal.window()];
	return rows
		.slice(
			0,
			rows.findLastIndex(row => row.startsWith('❯')),
		)
		.join('')
		.replaceAll(/[\s\u0000]|─/g, '')
		.replaceAll(commands, '');
}

/** With something open, the window gets other sizes, one after the other. Above the prompt nothing is added or lost by that. */
export async function survivesWalkWith(cell: Cell, what: Opened, sizes: readonly Size[]): Promise<string | undefined> {
	const {terminal, time} = cell;
	const settle = async () => {
		await time.pass(stepMs);
		await terminal.parsed();
	};
	const text = async () => {
		await settle();
		return textAbove(terminal);
	};
	const before = await text();
	await show(cell, what);
	for (const [columns, rows] of sizes) {
		await settle();
		await terminal.resize(columns, rows);
	}

	await settle();
	await hide(cell, what);
	const after = await text();
	return after === before ? undefined : differs(before, after);
}

function differs(before: string, after: string): string {
	let from = 0;
	while (from < before.length && before[from] === after[from]) {
		from++;
	}

	const [lost, added] = [before, after].map(text => JSON.stringify(text.slice(from, from + 60)));
	return `${before.length} characters became ${after.length}: ${lost} became ${added}`;
}
