import * as z from 'zod/mini';
import {command} from '../src/command/command.ts';
import {needsNoKey} from '../src/config/provider-keys.ts';
import {AppError} from '../src/core/error.ts';
import {parseModelId} from '../src/core/model.ts';
import keys from './keys.ts';

export default command({
	name: 'acp',
	summary: 'Run the agent for an editor, which starts it by itself',
	args: z.object({
		model: z.optional(z.string()),
		hosted: z._default(z.boolean(), false),
		at: z.optional(z.string()),
		observe: z._default(z.boolean(), false),
		trust: z._default(z.boolean(), false),
		login: z._default(z.boolean(), false),
	}),
	completes: {model: 'model'},
	describe: {
		model: 'provider/model-name of new sessions; the saved one by default',
		hosted: 'use the sessions of the host of this machine',
		at: 'use those of a host elsewhere: user@machine, or the URL of a host or of a link',
		observe: 'watch sessions of a host only: send and answer nothing',
		trust: 'use the instructions, hooks and settings of each folder',
		login: 'ask for an API key in the terminal, then end',
	},
	examples: ['acp --model anthropic/claude-sonnet-4-5', 'acp --hosted', 'acp --at user@machine'],
	where: 'shell',

	async run({model, hosted, at, observe, trust, login}, context) {
		const {interact} = context.ui;
		if (login) {
			const set = keys.verbs.find(({name}) => name === 'set');
			const {registry} = await import('../src/providers/registry.ts');
			const choices = Object.values(registry).flatMap(row =>
				row.defaultBaseUrl === undefined || needsNoKey(row) ? [] : [{id: row.name, label: row.label}],
			);
			const provider = await interact.choose({title: 'Select a provider', choices});
			return set && provider ? set.execute({provider}, context) : {kind: 'text', text: 'No API key was added.'};
		}

		// Left out at a terminal.
		if (!interact.piped) {
			throw new AppError('usage', 'This command speaks the Agent Client Protocol: an editor starts it.', {
				hint: 'Configure your editor as `$ help editors` shows, or start the app with `$`.',
			});
		}

		const parsed = model === undefined ? undefined : parseModelId(model);
		const named = parsed && `${parsed.provider}/${parsed.name}`;
		if (!hosted && at === undefined) {
			if (observe) {
				throw new AppError('usage', '`--observe` is for sessions of a host.', {hint: 'Add `--hosted` or `--at`.'});
			}

			return {kind: 'panel', panel: {show: 'editor', model: named, trust, hosted: undefined}};
		}

		if (trust) {
			throw new AppError('usage', 'Sessions of a host keep the trust that they began with.', {
				hint: 'Leave `--trust` out.',
			});
		}

		const {provePlace} = await import('../src/platform/host-pass.ts');
		const place = at === undefined ? undefined : await provePlace(at, context);
		const observes = observe || place?.observes === true;
		return {kind: 'panel', panel: {show: 'editor', model: named, trust, hosted: {at: place?.at, observes}}};
	},
});
