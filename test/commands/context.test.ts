import {expect, test} from 'vitest';
import {contextResult} from '../../commands/context.ts';
import {answered, called, said, start, transcriptOf, used, user} from '../core/records.ts';
import {dataOf, drawn} from './context.ts';

const facts = {
	system: 'You help. '.repeat(100),
	instructions: 'Be brief. '.repeat(20),
	skills: '',
	tools: [],
	size: 200_000,
};
const long = transcriptOf(
	...[
		start,
		user('Look'),
		said('I will.'),
		called('a.ts'),
		answered('a.ts', 'x'.repeat(40_000)),
		used('m1', 24_000, 6000),
	],
);

test('the window is drawn as bars that add up to the last report, with what could be freed', () => {
	const lines = drawn(contextResult(long, facts), 80).split('\n');
	expect(lines[0]).toBe('Context window: 30k of 200k tokens (15%)');
	expect(lines.map(line => line.trim().split(/ {2,}/)[0])).toEqual(
		expect.arrayContaining([
			'System prompt',
			'Instruction files',
			'Skills',
			'Tools',
			'Files read',
			'Conversation',
			'Free',
		]),
	);
	expect(lines.at(-1)).toBe('Compacted automatically at 184k tokens.');
	expect(lines.join('\n')).toMatch(
		/Largest results: read_file \d+(\.\d+)?k\n\/compact replaces about \d+(\.\d+)?k tokens/,
	);
	expect(Math.max(...lines.map(line => line.length))).toBeLessThanOrEqual(80);
});

test('a program reads the same numbers', () => {
	expect(contextResult(long, facts)).toMatchObject({
		data: {used_tokens: 30_000, window_tokens: 200_000, reported: true, compacts_at_tokens: 184_000},
	});
});

test('a new session of a model of unknown size says what is unknown', () => {
	const text = drawn(contextResult(transcriptOf(), {...facts, size: undefined}, 'custom/own'), 80);
	expect(text).toContain('No request yet: all of it is estimated.');
	expect(text).toContain(
		'The context window of custom/own is unknown, so nothing is compacted in time.\nSet it in tokens: /config set windows.custom/own 128000\n',
	);
	expect(text).not.toContain('Free');
	expect(drawn(contextResult(transcriptOf(), {...facts, size: undefined}), 80)).toContain(
		'Select a model to see its window: /model',
	);
});

test('skills have a row of their own, with what frees it if it is large', () => {
	const of = (skills: string) => contextResult(transcriptOf(), {...facts, system: facts.system + skills, skills});
	const {parts} = dataOf(of('- make-pdf: makes one\n'.repeat(20))) as {readonly parts: Record<string, number>};
	expect(parts).toMatchObject({skills: 110, instructions: 50});
	expect(drawn(of('- make-pdf: makes one\n'.repeat(20)), 80)).not.toContain('SKILL.md');
	expect(drawn(of('- make-pdf: makes one\n'.repeat(400)), 80)).toContain('in a SKILL.md frees its tokens');
});

test('the definitions of MCP tools have a row of their own', () => {
	const tool = (name: string) => ({name, description: 'Does something. '.repeat(40), parameters: {type: 'object'}});
	const tools = [tool('read_file'), tool('mcp__docs__find'), tool('search_tools')];
	const {parts} = dataOf(contextResult(long, {...facts, tools})) as {readonly parts: Record<string, number>};
	expect(parts['mcp']).toBeGreaterThan(parts['tools'] ?? Number.NaN);
	expect(drawn(contextResult(long, {...facts, tools}), 80)).toContain('MCP tools');
});
