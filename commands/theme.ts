import * as z from 'zod/mini';
import {command, noun} from '../src/command/command.ts';
import {unchanged} from '../src/command/result.ts';
import {themeNames, themeOf, themeSummaries} from '../src/terminal/theme/theme-names.ts';

const use = command({
	name: 'use',
	summary: 'Select the colour theme',
	args: z.object({theme: z.optional(z.enum([...themeNames, 'color-blind']))}),
	positional: ['theme'],
	describe: {theme: `${themeNames.join(', ')}; omit it to select one`},
	suggests: {theme: themeNames.map(name => ({value: name, hint: themeSummaries[name]}))},
	examples: ['theme use dark', 'theme use colour-blind'],
	whileRunning: true,

	async run({theme}, {program, ui: {interact}}) {
		const {theme: current, askBackground} = program.store.getState();
		const chosen = themeOf(theme) ?? themeOf(await choose());
		if (!chosen) {
			return unchanged;
		}

		await program.local.settings.save('theme', chosen);
		return {kind: 'text', text: `The theme is now ${chosen}: ${themeSummaries[chosen]}.`, data: {theme: chosen}};

		async function choose(): Promise<string | undefined> {
			const {themeChoices} = await import('../src/command/picker/theme-choices.ts');
			const choices = themeChoices({env: program.local.env, background: await askBackground()});
			return interact.choose({title: 'Select a theme', choices, current: current});
		}
	},
});

const list = command({
	name: 'list',
	summary: 'List the themes and what each is for',
	args: z.object({}),
	examples: ['theme list'],
	whileRunning: true,

	async run(_, {program}) {
		const current = program.local.settings.value('theme');
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

export default noun({
	name: 'theme',
	summary: 'Select or list colour themes',
	verbs: [use, list],
	fallback: 'use',
});
