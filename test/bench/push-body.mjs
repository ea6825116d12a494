import {randomBytes} from 'node:crypto';

/** How many spans a body has. */
export const batch = 500;

/** Returns a request body with the spans of some agents' turns. */
export function pushOf(first) {
	const attribute = (key, value) => ({key, value: {[typeof value === 'number' ? 'intValue' : 'stringValue']: value}});
	const traces = Array.from({length: batch / 25}, () => randomBytes(16).toString('hex'));
	return JSON.stringify({
		resourceSpans: [
			{
				resource: {attributes: [attribute('service.name', 'bench')]},
				scopeSpans: [
					{
						spans: Array.from({length: batch}, (_, index) => {
							const trace = Math.floor(index / 25);
							return {
								traceId: traces[trace],
								spanId: randomBytes(8).toString('hex'),
								name: 'chat some-model',
								kind: 3,
								startTimeUnixNano: `${1_790_000_000_000 + first + index}000000`,
								endTimeUnixNano: `${1_790_000_000_500 + first + index}000000`,
								attributes: [
									attribute('gen_ai.operation.name', index % 3 === 0 ? 'execute_tool' : 'chat'),
									attribute('gen_ai.conversation.id', `conversation ${traces[trace]}`),
									attribute('gen_ai.request.model', 'some-model'),
									attribute('gen_ai.usage.input_tokens', 100),
									attribute('gen_ai.usage.output_tokens', 20),
									attribute('text', 'z'.repeat(300)),
								],
							};
						}),
					},
				],
			},
		],
	});
}
