import {readdir, realpath, stat} from 'node:fs/promises';
import {join, relative, sep} from 'node:path';
import * as z from 'zod/mini';
import {AppError} from '../../core/error.ts';
import type {Tool} from '../../core/session/tool.ts';
import {isWithin} from '../paths/existing.ts';
import {spellPath} from '../paths/path-text.ts';
import {type DeniedFiles, deniedFiles} from '../policy/denied-files.ts';
import type {FileRules} from '../policy/rules/rule.ts';
import {isSecretFile} from '../policy/secret-files.ts';
import {readOwn} from '../project/read-file.ts';
import {hashSkillFiles} from '../project/skill-files.ts';
import {defineTool} from '../tools/define-tool.ts';
import type {Skill} from './skill.ts';

const maxListed = 100;

type Options = {
	/** Returns the skills in effect. */
	readonly skills: () => Promise<readonly Skill[]>;
	/** Masks credentials. */
	readonly hide: (text: string) => string;
	/** Returns the rules of the moment: no file that they deny is read. */
	readonly rules?: () => FileRules;
};

/** Creates the tool that reads a skill, or a text file in its folder, which may be out of reach of other tools. */
export function createReadSkill({skills, hide, rules}: Options): Tool {
	return defineTool({
		name: 'read_skill',
		description: 'Returns the instructions of a skill and the names of its files, or one of these files.',
		readOnly: true,
		readOn: 'Read its other files by their names.',
		arguments: z.strictObject({
			name: z.string().check(z.minLength(1), z.maxLength(100), z.describe('The name of the skill.')),
			file: z.optional(
				z.string().check(z.minLength(1), z.maxLength(500), z.describe('A file of the skill, relative to its folder.')),
			),
		}),

		async run({name, file}) {
			const all = (await skills()).filter(({isForModel}) => isForModel);
			const skill = all.find(each => each.name === name.toLowerCase());
			if (!skill) {
				const names = all.map(each => each.name).join(', ');
				throw new AppError('not-found', `No skill “${name}”.`, {hint: names ? `Skills: ${names}.` : 'There are none.'});
			}

			const denied = rules && (await deniedFiles(rules(), 'read'));
			return hide(file === undefined ? await skillText(skill, denied) : await fileOf(skill, file, denied));
		},
	});
}

/** Returns a skill as the model reads it: its folder, its files, its instructions. */
export async function skillText({name, folder, body}: Skill, denied?: DeniedFiles): Promise<string> {
	const found = await readdir(folder, {recursive: true, withFileTypes: true}).catch(() => []);
	const files = found
		.filter(entry => entry.isFile() && entry.name !== 'SKILL.md')
		.map(entry => join(entry.parentPath, entry.name))
		.filter(path => !denied?.by(path))
		.map(path => relative(folder, path).replaceAll(sep, '/'))
		.sort();
	const shown = files.slice(0, maxListed).join(', ');
	return [
		`Skill ${name}, in ${folder}`,
		...(shown ? [`Files: ${shown}${files.length > maxListed ? ', …' : ''}`] : []),
		'',
		body,
	].join('\n');
}

async function fileOf(
	{name, folder, isOwn, filesHash}: Skill,
	file: string,
	denied: DeniedFiles | undefined,
): Promise<string> {
	if (!isOwn && (await hashSkillFiles(folder)) !== filesHash) {
		throw new AppError('conflict', `The files of the skill ${name} are not those that the user trusted.`, {
			hint: 'Tell the user: they can look at the skill and trust it again.',
		});
	}

	const root = await realpath(folder);
	const spelled = await spellPath(join(root, file));
	const real = await realpath(spelled.path).catch(() => undefined);
	if (real === undefined || !isWithin(real, root) || isSecretFile(real.replaceAll('\\', '/'))) {
		throw new AppError('not-found', `The skill ${name} has no file “${file}”.`, {
			hint: 'Read the skill alone to see its files.',
		});
	}

	denied?.assertAllowed(join(folder, file));
	await denied?.assertOpened(real, await stat(real));
	const content = await readOwn(real);
	return content ? `${content.text}${content.isCut ? '\n[… the rest of the file is left out]' : ''}` : '';
}
