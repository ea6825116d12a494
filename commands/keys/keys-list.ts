import * as z from 'zod/mini';
import {command} from '../../src/command/command.ts';
import {listKeys} from '../../src/config/provider-keys.ts';
import {registry} from '../../src/providers/registry.ts';

export default command({
	name: 'list',
	summary: 'List the API keys and where each comes from',
	args: z.object({}),
	whileRunning: true,

	run(
		_,
		{
			program: {
				local: {config, env},
			},
		},
	) {
		const keys = listKeys({config, env, rows: registry});
		return {
			kind: 'table',
			columns: [{label: 'provider'}, {label: 'key'}, {label: 'source'}, {label: 'goes to', cut: 'middle'}],
			rows: keys.map(({provider: name, last4, source, baseUrl}) => [
				name,
				last4 ? `…${last4}` : last4 === '' ? '(hidden)' : 'none',
				source,
				baseUrl ?? `nowhere: set ${registry[name].baseVariable}`,
			]),
			empty: 'No keys yet. Add one: `keys set <provider>`',
			data: keys.map(({provider: name, last4, source, baseUrl}) => ({
				provider: name,
				last4: last4 ?? null,
				source,
				base_url: baseUrl ?? null,
			})),
		};
	},
});
