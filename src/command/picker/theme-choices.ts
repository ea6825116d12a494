import type {Environment} from '../../core/environment.ts';
import type {Choice} from '../../core/question.ts';
import {createPalette, type Palette} from '../../terminal/text/style.ts';
import {type BackgroundColor, backgroundOf} from '../../terminal/theme/background.ts';
import {colorDepth} from '../../terminal/theme/color-depth.ts';
import {type ThemeName, themeNames, themeSummaries} from '../../terminal/theme/theme-names.ts';
import {schemeOf} from '../../terminal/theme/themes.ts';

type Terminal = {readonly env: Environment; readonly background: BackgroundColor};

/** Returns the themes as choices, each with a sample of the conversation in its colours. */
export function themeChoices({env, background}: Terminal): readonly Choice[] {
	const known = background ?? backgroundOf(env);
	const previewOf = (name: ThemeName) =>
		sample(createPalette({color: true, scheme: schemeOf(name, known, colorDepth(env))}));
	return themeNames.map(name => ({id: name, label: name, detail: themeSummaries[name], preview: previewOf(name)}));
}

/** Returns a message, a call with its change, lines of a log, and what became of them. */
function sample({accent, user, dim, added, removed, mark, level, code, warning}: Palette): string[] {
	return [
		`${accent('❯ ')}${user('Why does checkout fail?')}`,
		`${dim('✓')} Edit ${dim('rates.ts · +1 −1')}`,
		removed(`   3 - const rates = {${mark('GPB')}: 1.17};`),
		added(`   3 + const rates = {${mark('GBP')}: 1.17};`),
		`${dim('09:41:07')} ${level.error('error')} ${level.error('no rate for GBP')} ${dim('status=500')}`,
		`${dim('09:41:09')} ${level.warn('warn')}  ${level.warn('retrying')} ${dim('attempt=2')}`,
		`The key was misspelled in ${code('rates.ts')}. ${warning('!')} 1 test was skipped.`,
	];
}
