import {expect, test} from 'vitest';
import type {AgentEvent} from '../../../src/core/session/event.ts';
import {countSteps} from '../../growth.ts';
import {canvas, result, start, user} from '../canvas.ts';

/** Returns a session of `count` blocks: a question, a call and an answer in turn. */
function blocks(count: number): readonly AgentEvent[] {
	return Array.from({length: Math.ceil(count / 3)}, (_, index): readonly AgentEvent[] => [
		user(`question ${index}`, `u${index}`),
		{type: 'tool-call', id: `c${index}`, messageId: `m${index}`, name: 'read_file', arguments: {path: `${index}`}},
		result(`c${index}`),
		{type: 'text-delta', id: `t${index}`, messageId: `n${index}`, text: `Answer **${index}**.\n\n- one\n- two`},
	]).flat();
}

const tokens = 240;

/** Returns the steps of a token after `count` blocks. */
function costOfToken(count: number): number {
	const {store, painter, recorded, feed, open, taken} = canvas();
	open('s');
	store.getState().applyRecords(recorded([start, ...blocks(count)]));
	painter.advance();
	const steps = countSteps(() => {
		for (let index = 0; index < tokens; index++) {
			feed({type: 'text-delta', id: 'x', messageId: 'x', text: index % 12 === 11 ? '\n\n' : 'word '});
		}
	});
	expect(taken().filter(line => line.startsWith('word word')).length).toBeGreaterThan(tokens / 15);
	return steps / tokens;
}

test('a token costs the same after 10, 1,000 and 5,000 blocks', () => {
	const few = costOfToken(10);
	expect(costOfToken(1000)).toBeLessThan(1.5 * few);
	expect(costOfToken(5000)).toBeLessThan(1.5 * few);
});
