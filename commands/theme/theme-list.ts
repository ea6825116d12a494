import * as z from 'zod/mini';
import {command} from '../../src/command/command.ts';
import {themeNames, themeSummaries} from '../../src/terminal/theme/theme-names.ts';

export default command({
	name: 'list',
	summary: 'List the themes and what each is for',
	args: z.object({}),
	examples: ['theme list'],
	whileRunning: true,

	async run(
		_,
		{
			program: {
				local: {settings},
			},
		},
	) {
		const current = settings.value('theme');
		return {
			kind: 'table',
			columns: [{label: 'theme', whole: true}, {label: ''}, {label: 'what it is for'}],
			rows: themeNames.map(name => [name, name === current ? 'now' : '', themeSummaries[name]]),
			empty: '',
			opens: {words: ['theme', 'use'], ids: themeNames},
			data: themeNames.map(name => ({name, is_current: name === current, summary: themeSummaries[name]})),
		};
	},
});
