import {demoId} from './ids.ts';
import type {DemoSpan} from './span.ts';

type Turn = {
	readonly asks: string;
	readonly input: number;
	readonly cached: number;
	readonly output: number;
	readonly tools: readonly string[];
};

type Conversation = {
	readonly id: string;
	readonly title: string;
	readonly agent: string;
	readonly model: string;
	/** When it started, in seconds from now. */
	readonly at: number;
	readonly turns: readonly Turn[];
	readonly attributes?: Readonly<Record<string, unknown>>;
};

const hour = 3600;

const turn = (asks: string, input: number, cached: number, output: number, ...tools: readonly string[]): Turn => ({
	asks,
	input,
	cached,
	output,
	tools,
});

const conversations: readonly Conversation[] = [
	{
		id: 'checkout-flake',
		title: 'Fix the flaky checkout test',
		agent: 'engineer',
		model: 'anthropic/claude-sonnet-5',
		at: -2 * hour,
		turns: [
			turn('The checkout test fails about once in ten runs. Find out why.', 8200, 0, 940, 'read_file', 'search_text'),
			turn('Show me the race.', 10_100, 8200, 720, 'read_file'),
			turn('Good. Make it wait for the event instead of the timer.', 11_400, 10_100, 1310, 'edit_file', 'run_tests'),
		],
		attributes: {'service.session.labels': {team: ['payments'], kind: ['bug']}},
	},
	{
		id: 'release-notes',
		title: 'Write the release notes of 4.2',
		agent: 'writer',
		model: 'openai/gpt-6-sol',
		at: -26 * hour,
		turns: [
			turn('Read the merged changes since 4.1 and write release notes for users.', 24_600, 0, 1850, 'list_files'),
			turn('Shorter, and the breaking change first.', 26_900, 24_600, 690),
		],
		attributes: {'service.session.visibility': 'workspace'},
	},
	{
		id: 'slow-search',
		title: 'Why is search slow on Mondays?',
		agent: 'analyst',
		model: 'google/gemini-3.8-flash',
		at: -50 * hour,
		turns: [
			turn('Search takes 4 s on Monday mornings and 300 ms otherwise. Logs attached.', 61_000, 0, 1120, 'search_text'),
			turn('Which index is rebuilt then?', 63_200, 61_000, 480, 'search_text', 'read_file'),
			turn('Propose a schedule that avoids the peak.', 64_100, 63_200, 760),
			turn('Write that down as an issue.', 65_300, 64_100, 530),
		],
	},
	{
		id: 'old-migration',
		title: 'Move the settings to the new store',
		agent: 'engineer',
		model: 'anthropic/claude-haiku-4-5',
		at: -21 * 24 * hour,
		turns: [turn('Move the settings to the new store, file by file.', 14_300, 0, 2210, 'edit_file', 'edit_file')],
		attributes: {'service.session.archived': true},
	},
];

/** The session ids, latest first. */
export const demoSessions: readonly string[] = conversations.map(({id}) => demoId('session', id));

/** Sessions with agents: messages with usage, and tool calls. */
export const sessionSpans: readonly DemoSpan[] = conversations.flatMap(conversation => {
	const {id, title, agent, model, at, turns, attributes = {}} = conversation;
	const [provider = '', name = ''] = model.split('/');
	const common = {'gen_ai.conversation.id': demoId('session', id), 'gen_ai.agent.name': agent};
	const root: DemoSpan = {
		trace: id,
		id: 'root',
		name: `invoke_agent ${agent}`,
		at,
		lasts: turns.length * 90,
		attributes: {...common, 'gen_ai.operation.name': 'invoke_agent', 'service.session.title': title, ...attributes},
	};
	const inside = turns.flatMap(({asks, input, cached, output, tools}, index): DemoSpan[] => {
		const begun = at + index * 90;
		return [
			{
				trace: id,
				id: `message-${index}`,
				parent: 'root',
				name: `chat ${name}`,
				at: begun,
				lasts: 4 + output / 120,
				attributes: {
					...common,
					'gen_ai.operation.name': 'chat',
					'gen_ai.provider.name': provider,
					'gen_ai.request.model': name,
					'gen_ai.response.model': name,
					'gen_ai.response.id': `${id}-${index}`,
					'gen_ai.usage.input_tokens': input,
					'gen_ai.usage.cache_read.input_tokens': cached,
					'gen_ai.usage.output_tokens': output,
					'gen_ai.input.messages': [{role: 'user', parts: [{type: 'text', content: asks}]}],
				},
			},
			...tools.map(
				(tool, call): DemoSpan => ({
					trace: id,
					id: `tool-${index}-${call}`,
					parent: 'root',
					name: `execute_tool ${tool}`,
					at: begun + 20 + call * 5,
					lasts: 1.5,
					attributes: {
						...common,
						'gen_ai.operation.name': 'execute_tool',
						'gen_ai.tool.name': tool,
						'gen_ai.tool.call.id': `${id}-${index}-${call}`,
					},
				}),
			),
		];
	});
	return [root, ...inside];
});
