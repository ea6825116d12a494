import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import {breakDown} from '../../src/agent/context/breakdown.ts';
import type {Message} from '../../src/core/session/message.ts';
import {echo} from './scripted.ts';

const result = (name: string, output: string): Message => ({role: 'tool', callId: name, name, output, failed: false});
const request = {system: 's'.repeat(400), instructions: 's'.repeat(100), skills: '', tools: [echo], usedTokens: 0};

test('without a report the parts are estimates, and files are told from other results', () => {
	const messages: readonly Message[] = [
		{role: 'user', text: 'u'.repeat(40)},
		{role: 'assistant', model: 'm', parts: [{type: 'text', text: 'a'.repeat(40)}]},
		result('read_file', 'f'.repeat(800)),
		result('run_command', 'r'.repeat(80)),
	];
	const {tokens, total, largest} = breakDown({...request, messages});
	expect(tokens).toMatchObject({system: 75, instructions: 25, files: 200, results: 20, conversation: 20});
	expect(total).toBe(Object.values(tokens).reduce((sum, each) => sum + each, 0));
	expect(largest).toEqual([
		{name: 'read_file', tokens: 200},
		{name: 'run_command', tokens: 20},
	]);
});

test('the parts add up to what the provider reported', () => {
	fc.assert(
		fc.property(fc.array(fc.string(), {maxLength: 8}), fc.integer({min: 1, max: 2_000_000}), (texts, usedTokens) => {
			const messages = texts.map((text, index) =>
				index % 2 ? result('read_file', text) : {role: 'user' as const, text},
			);
			const {tokens, total} = breakDown({...request, messages, usedTokens});
			const sum = Object.values(tokens).reduce((all, each) => all + each, 0);
			expect(total).toBe(usedTokens);
			expect(Math.abs(sum - usedTokens)).toBeLessThan(6);
		}),
	);
});

test('an empty request has no tokens', () => {
	expect(breakDown({system: '', instructions: '', skills: '', tools: [], messages: [], usedTokens: 0}).total).toBe(0);
});
