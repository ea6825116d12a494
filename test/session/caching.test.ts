import {expect, test} from 'vitest';
import {createModelAccess} from '../../src/agent/model-access.ts';
import {openConfig} from '../../src/config/config.ts';
import {cacheSaving} from '../../src/core/ledger/cache-saving.ts';
import {lastJump} from '../../src/core/ledger/cost-jump.ts';
import {sessionUsage} from '../../src/core/session/session-usage.ts';
import type {Tool} from '../../src/core/session/tool.ts';
import {echo} from '../agent/scripted.ts';
import {temporaryHome} from '../storage/temporary.ts';
import {scripted} from '../store/scripted-conversation.ts';
import {cachingVendor} from './caching-vendor.ts';

/** Tools whose definitions are as long as those of the program. */
const tools: readonly Tool[] = [
	...['read', 'write', 'search', 'list', 'run'].map(name => ({
		...echo,
		name,
		description: `${name} files. `.repeat(60),
	})),
	echo,
];
const system = 'You work in a folder. '.repeat(200);

/** Opens a conversation with a vendor that caches, through the real access to models. */
function withVendor(wire: Parameters<typeof cachingVendor>[0], model: string) {
	const vendor = cachingVendor(wire);
	let loaded = 0;
	const definitions = () => {
		loaded += 1;
		return loaded % 2 === 0 ? tools : tools.toReversed();
	};
	const access = createModelAccess({
		config: openConfig(temporaryHome()),
		env: {
			...{
				ANTHROPIC_API_KEY: 'k-0123456789abcd',
				OPENAI_API_KEY: 'k-0123456789abcd',
				GOOGLE_API_KEY: 'k-0123456789abcd',
			},
			...{CUSTOM_API_KEY: 'k-0123456789abcd', CUSTOM_BASE_URL: 'https://host.test/v1'},
		},
		embedded: () => Promise.reject(new Error('not needed')),
		createTransport: async () => vendor.transport,
		front: () => ({session: program.transcript().session, isPlanning: false, effortOf: () => undefined}),
		instructions: async () => system,
		// In any order, as servers of tools may answer.
		tools: async () => definitions(),
	});
	const openModel = (of: string | undefined, task?: readonly Tool[]) => access.open(of, task);
	const program = scripted([], {openModel, loadTools: async () => tools});
	program.store.getState().setModel(model);
	return {vendor, ...program};
}

const models = [
	['anthropic', 'anthropic/claude-sonnet-5'],
	['google', 'google/gemini-3.8-flash'],
	['openai', 'openai/gpt-6-sol'],
	['custom', 'custom/anything'],
] as const;

test.each(models)(
	'%s reads 85 %% of the input of 30 turns from its cache, also over a compaction',
	async (wire, model) => {
		const {vendor, conversation, transcript} = withVendor(wire, model);
		const share = () => cacheSaving([...transcript().usage.values()], () => undefined)?.share ?? 0;
		for (let turn = 0; turn < 30; turn++) {
			await conversation.send(`Question ${turn}: what is next?`);
		}

		expect(vendor.reported).toHaveLength(60);
		expect(share()).toBeGreaterThanOrEqual(0.85);

		await conversation.compact();
		expect(transcript().compactions).toBe(1);
		const before = vendor.reported.length;
		await conversation.send('And now?');
		// The instructions and the tools are still in the cache.
		expect(vendor.reported[before]?.read).toBeGreaterThan(1024);
		for (let turn = 0; turn < 9; turn++) {
			await conversation.send(`Question ${turn}: what is next?`);
		}

		expect(share()).toBeGreaterThanOrEqual(0.85);

		const sum = (bucket: 'read' | 'written' | 'rest' | 'output') =>
			vendor.reported.reduce((total, each) => total + each[bucket], 0);
		expect(sessionUsage(transcript(), () => undefined)).toMatchObject({
			total_input_tokens: sum('rest'),
			total_cache_read_input_tokens: sum('read'),
			total_cache_creation_input_tokens: sum('written'),
			total_output_tokens: sum('output'),
		});
	},
);

test.each(models)('%s forgets after a pause, and the ledger knows that nothing here changed', async (wire, model) => {
	const {vendor, conversation, transcript} = withVendor(wire, model);
	for (const turn of [1, 2, 3]) {
		await conversation.send(`Question ${turn}: what is next?`);
	}

	const before = vendor.reported.length;
	vendor.wait(60 * 60_000);
	await conversation.send('Are you still there?');
	expect(vendor.reported[before]?.read).toBe(0);
	expect(lastJump([...transcript().usage.values()].slice(0, before + 1), () => undefined)).toMatchObject({
		reason: 'cache-lost',
		changed: ['unknown'],
	});
});
