import {expect, test} from 'vitest';
import {allowedText} from '../../../src/core/session/allowed-text.ts';
import type {AgentEvent} from '../../../src/core/session/event.ts';
import {reduceTranscript} from '../../../src/core/session/reduce-transcript.ts';
import {emptyTranscript} from '../../../src/core/session/transcript.ts';
import {createPalette} from '../../../src/terminal/text/style.ts';
import {detailLines} from '../../../src/ui/transcript/block-detail.ts';
import {blockLines} from '../../../src/ui/transcript/block-lines.ts';
import {startedCommands} from '../../../src/ui/transcript/block-text.ts';

const style = {width: 100, palette: createPalette({color: false})};
const run: AgentEvent = {
	...{type: 'tool-call', id: 'c', messageId: 'm', name: 'run_command'},
	arguments: {command: 'npm test'},
};
const asked: AgentEvent = {type: 'approval-request', id: 'c', summary: 'Run npm test?', hash: 'h', kind: 'command'};
const byRule: AgentEvent = {
	...{type: 'approval-answer', id: 'c', allowed: true, hash: 'h', by: 'run_command(npm test *)'},
	rules: [{number: 3, source: 'folder'}],
};
const done: AgentEvent = {type: 'tool-result', id: 'c', output: 'ok\n[exit status 0]', failed: false, milliseconds: 5};

/** Returns the transcripts after each event. */
function transcripts(...events: readonly AgentEvent[]) {
	let transcript = emptyTranscript('s');
	return events.map((event, seq) => {
		transcript = reduceTranscript(transcript, {
			v: 1,
			seq,
			at: '2026-01-01T00:00:00Z',
			session: 's',
			server: 'local',
			event,
		});
		return transcript;
	});
}

test('a call that a rule allowed says so at the end of its line, and which one in full', () => {
	const [block] = transcripts(run, asked, byRule, done).at(-1)?.settled ?? [];
	expect(block && blockLines(block, style)[0]).toMatch(/^✓ Run npm test · .* · allowed by rule 3$/);
	expect(block && detailLines(block, style).join('\n')).toContain('Allowed by rule 3 of this folder');
});

test('a call that the user allowed says so only in full', () => {
	const yes: AgentEvent = {type: 'approval-answer', id: 'c', allowed: true, hash: 'h', by: 'user'};
	const [block] = transcripts(run, asked, yes, done).at(-1)?.settled ?? [];
	expect(block && blockLines(block, style)[0]).not.toContain('allowed');
	expect(block && detailLines(block, style).join('\n')).toContain('Allowed by you');
});

test.each([
	[{by: 'mode'}, 'Allowed by the approval mode'],
	[{by: 'flag'}, 'Allowed by the command line'],
	[{by: 'read-only'}, 'Allowed because it only reads'],
	[{by: 'run_command(ls *)'}, 'Allowed by the rule run_command(ls *)'],
	[
		{
			by: 'a, b',
			rules: [
				{number: 1, source: 'flag'},
				{number: 2, source: 'later'},
			],
		},
		'Allowed by rule 1 of the command line and rule 2 of later',
	],
])('%j is “%s”', (allowed, text) => {
	expect(allowedText(allowed)).toBe(text);
});

test('without a screen, a command is told once when it really starts', () => {
	const all = [
		emptyTranscript('s'),
		...transcripts(run, asked, byRule, {type: 'tool-output', id: 'c', text: 'x'}, done),
	];
	const told = all.slice(1).map((now, index) => startedCommands(now, all[index] ?? now));
	expect(told).toEqual([[], [], ['Started: Run npm test'], [], []]);
});

test('without a screen, a refused command and another tool are not told as started', () => {
	const no: AgentEvent = {type: 'approval-answer', id: 'c', allowed: false, hash: 'h', by: 'user'};
	const edit: AgentEvent = {...run, name: 'edit_file', arguments: {path: 'a'}};
	for (const events of [
		[run, asked, no],
		[edit, asked, byRule],
	]) {
		const all = [emptyTranscript('s'), ...transcripts(...events)];
		expect(all.slice(1).flatMap((now, index) => startedCommands(now, all[index] ?? now))).toEqual([]);
	}
});
