import {expect, test} from 'vitest';
import type {AgentEvent} from '../../../src/core/session/event.ts';
import {cpuMs} from '../../growth.ts';
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

const answers = 5;
const tokens = 240;

/** Returns the processor milliseconds of a token after `count` blocks: the median of several answers. */
function costOfToken(count: number): number {
	const {store, painter, recorded, feed, open, taken} = canvas();
	open('s');
	store.getState().applyRecords(recorded([start, ...blocks(count)]));
	painter.advance();
	const times = Array.from({length: answers}, (_, round) => {
		const cost = cpuMs(() => {
			for (let index = 0; index < tokens; index++) {
				feed({type: 'text-delta', id: `x${round}`, messageId: `x${round}`, text: index % 12 === 11 ? '\n\n' : 'word '});
			}
		});
		return cost / tokens;
	});
	expect(taken().filter(line => line.startsWith('word word')).length).toBeGreaterThan((answers * tokens) / 15);
	return times.sort((a, b) => a - b)[2] ?? 0;
}

test('a token costs the same after 10, 1,000 and 5,000 blocks', () => {
	costOfToken(1000);
	const [few = 0, many = 0, most = 0] = [10, 1000, 5000].map(costOfToken);
	// A tenth of a millisecond beside the factor: the machine of a test is shared.
	expect(many).toBeLessThan(2 * few + 0.1);
	expect(most).toBeLessThan(2 * few + 0.1);
});
