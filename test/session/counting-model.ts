import type {Message} from '../../src/core/session/message.ts';
import type {ProviderEvent} from '../../src/providers/provider.ts';

/** Returns the tokens of a request as the model counts them: one for each four characters. */
export function requestTokens(messages: readonly Message[]): number {
	return Math.ceil(JSON.stringify(messages).length / 4);
}

/** Creates a model that reports what it reads and writes, and sums up when it is asked to. */
export function createCountingModel() {
	const requests: (readonly Message[])[] = [];
	let output = 0;
	return {
		requests,
		output: () => output,
		async *ask(messages: readonly Message[]): AsyncGenerator<ProviderEvent> {
			requests.push(messages);
			const last = messages.at(-1);
			const isCompacting = last?.role === 'user' && last.text.startsWith('Stop here');
			const answer = isCompacting
				? `## What was done\n\nA summary of ${messages.length} messages.`
				: 'Because. '.repeat(15);
			const written = answer.length / 4;
			output += written;
			yield {
				type: 'usage',
				usage: {input: requestTokens(messages), cacheRead: 0, cacheWrite: 0, output: written, reasoning: 0},
			};
			yield {type: 'text-delta', id: 't', text: answer};
			yield {type: 'finish', reason: 'stop'};
		},
	};
}
