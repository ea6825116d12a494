import * as z from 'zod/mini';
import {providerHelp} from '../../src/command/argument-types.ts';
import {command} from '../../src/command/command.ts';
import {removeKey} from '../../src/config/provider-keys.ts';
import {parseProviderName} from '../../src/core/model.ts';
import {registry} from '../../src/providers/registry.ts';

export default command({
	name: 'remove',
	aliases: ['delete', 'rm'],
	summary: 'Remove the saved API key of a provider',
	args: z.object({provider: z.string()}),
	positional: ['provider'],
	completes: {provider: 'provider'},
	describe: {provider: providerHelp},
	examples: ['keys remove openai'],
	whileRunning: true,

	async run(
		{provider: name},
		{
			program: {
				local: {config},
				store,
				models,
			},
			ui: {live},
		},
	) {
		const chosen = parseProviderName(name);
		let fault = '';
		await removeKey(config, chosen, why => {
			fault = ` The keychain still has it. ${why}`;
		});
		const {model, setModel} = store.getState();
		if (live && model?.startsWith(`${chosen}/`)) {
			setModel(models.initial());
		}

		return {
			kind: 'text',
			text: `Removed the API key of ${registry[chosen].label}.${fault}`,
			data: {provider: chosen, removed: true},
		};
	},
});
