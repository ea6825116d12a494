import * as z from 'zod/mini';
import {command} from '../../../src/command/command.ts';
import {finish, scriptedModel, text} from '../../agent/scripted.ts';
import {runLinear} from '../line/running-lines.ts';
import {createAnswer} from './contract-app.ts';
import {storm} from './storms.ts';

const env = {TERM: 'dumb'};
/** The bell is meant to be heard. */
const toObey = /[^\n\u0007\P{Cc}]/u;

const table = '| a | b |\n|-|-|\n| 1 | 2 |\n';

/** Returns the first control character of a conversation that a terminal would have to obey. */
export async function obeysNothing(columns: number, rows: number): Promise<string | undefined> {
	const {ask} = scriptedModel([text('**Bold** and 日本.\n\n'), text(table), finish('stop')]);
	const {resize, type, waitFor, end, written} = runLinear(ask, {env});
	resize(columns, rows);
	await waitFor('> ');
	type('go\n');
	await waitFor('┘');
	await end();
	return toObey.exec(written())?.[0];
}

const approve = command({
	name: 'approve-one',
	summary: 'Ask for an approval',
	args: z.object({}),
	async run(_, {ui: {interact}}) {
		const isApproved = await interact.confirm('Run it?', {title: 'Command', facts: [['Sandbox', 'with network']]});
		return {kind: 'text', text: isApproved ? 'Approved.' : 'Denied.'};
	},
});

/** Streams, and asks for an approval, while the window gets other sizes. */
export async function survivesStormInLines(): Promise<string | undefined> {
	const {ask, say, finish: end} = createAnswer();
	const {resize, type, wait, waitFor, written} = runLinear(ask, {env, more: [approve]});
	await waitFor('> ');
	type('go\n');
	await waitFor('Working');
	for (const [index, size] of storm.entries()) {
		resize(...size);
		say(`Storm-${index}- on and on.\n\n`);
		await waitFor(index === 0 ? '' : `Storm-${index - 1}-`);
	}

	resize(24, 10);
	say(`| a | b |\n|-|-|\n| ${'one '.repeat(9)}| ${'two '.repeat(9)}|\n\nThe end.`);
	end();
	await waitFor('Ready.');
	type('/approve-one\n');
	await waitFor('Run it?');
	const before = written();
	for (const size of storm) {
		resize(...size);
	}

	await new Promise(setImmediate);
	const over = written().slice(before.length);
	// What was typed before the question could be read is no answer.
	wait(1000);
	type('y\n');
	await waitFor('Approved.');
	const counts = storm.map((_, index) => written().split(`Storm-${index}-`).length - 1);
	const wide = written()
		.split('\n')
		.find(line => /one|two/.test(line) && line.length > 24);
	return (
		toObey.exec(written())?.[0] ??
		(counts.some(count => count !== 1) ? `paragraphs: ${counts.join()}` : undefined) ??
		wide ??
		(over === '' ? undefined : `written over the approval: ${JSON.stringify(over)}`)
	);
}
