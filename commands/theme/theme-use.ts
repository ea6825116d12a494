import * as z from 'zod/mini';
import {command} from '../../src/command/command.ts';
import {themeNames, themeOf, themeSummaries} from '../../src/terminal/theme/theme-names.ts';

export default command({
	name: 'use',
	summary: 'Select the colour theme',
	args: z.object({theme: z.optional(z.enum([...themeNames, 'color-blind']))}),
	positional: ['theme'],
	describe: {theme: `${themeNames.join(', ')}; omit it to select one`},
	suggests: {theme: themeNames.map(name => ({value: name, hint: themeSummaries[name]}))},
	examples: ['theme use dark', 'theme use colour-blind'],
	whileRunning: true,

	async run(
		{theme},
		{
			program: {
				store,
				local: {settings, env},
			},
			ui: {interact},
		},
	) {
		const {theme: current, askBackground} = store.getState();
		const chosen = themeOf(theme) ?? themeOf(await choose());
		if (!chosen) {
			return {kind: 'text', text: 'Nothing changed.'};
		}

		await settings.save('theme', chosen);
		return {kind: 'text', text: `The theme is now ${chosen}: ${themeSummaries[chosen]}.`, data: {theme: chosen}};

		async function choose(): Promise<string | undefined> {
			const {themeChoices} = await import('../../src/command/picker/theme-choices.ts');
			const choices = themeChoices({env, background: await askBackground()});
			return interact.choose({title: 'Select a theme', choices, current: current});
		}
	},
});
