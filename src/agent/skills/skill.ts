import {dirname, posix, resolve, sep} from 'node:path';
import {cutLine, cutText} from '../../core/cut-text.ts';
import {readFrontMatter} from '../../core/front-matter.ts';
import {safeText} from '../../terminal/text/safe-text.ts';
import {inEffect, locationOf, type ProjectState} from '../project/project.ts';

/** A skill: instructions for one kind of work, in a folder with whatever they need. Its texts are untrusted. */
export type Skill = {
	/** As its folder is called, in lower case. */
	readonly name: string;
	/** One line: when to use it. */
	readonly description: string;
	readonly body: string;
	/** The absolute path of its folder. */
	readonly folder: string;
	/** Its `SKILL.md`, as `ProjectFile.path`. */
	readonly path: string;
	readonly isOwn: boolean;
	/** Of the files beside it, as the user agreed to them; undefined for a skill of the user, or without files. */
	readonly filesHash: string | undefined;
	/** The arguments as the user should read them. */
	readonly argumentHint: string | undefined;
	/** False for a skill that only the user starts. */
	readonly isForModel: boolean;
	/** False for a skill that only the model reads. */
	readonly isForUser: boolean;
};

/** Most characters of a description, and of all of them in the context. */
const maxDescription = 500;
const maxList = 10_000;

/** Returns the skills in effect: of several with one name the user's own, else that of the deepest folder. */
export function skillsOf(state: ProjectState): readonly Skill[] {
	const files = inEffect(state).filter(({kind}) => kind === 'skill');
	const skills = files.map((file): Skill => {
		const {fields, body} = readFrontMatter(file.text);
		const [first = ''] = body.trim().split('\n', 1);
		return {
			name: posix.basename(posix.dirname(file.path.replaceAll(sep, '/'))).toLowerCase(),
			description: cutLine(fields.get('description') || first.replace(/^#+\s*/, ''), maxDescription),
			body: body.trim(),
			folder: dirname(resolve(locationOf(file, state))),
			path: file.path,
			isOwn: file.standing === 'user',
			filesHash: file.filesHash,
			argumentHint: cutLine(fields.get('argument-hint') ?? '', maxDescription) || undefined,
			isForModel: fields.get('disable-model-invocation') !== 'true',
			isForUser: fields.get('user-invocable') !== 'false',
		};
	});
	const byRank = [...skills.filter(({isOwn}) => !isOwn), ...skills.filter(({isOwn}) => isOwn)];
	return [...new Map(byRank.map(skill => [skill.name, skill])).values()].toSorted((one, other) =>
		one.name < other.name ? -1 : 1,
	);
}

/** Returns the part of the system prompt that names the skills; undefined if there are none for the model. */
export function skillList(skills: readonly Skill[], hide: (text: string) => string): string | undefined {
	const lines = skills
		.filter(({isForModel}) => isForModel)
		.map(({name, description}) => `- ${name}: ${safeText(hide(description))}`);
	if (lines.length === 0) {
		return undefined;
	}

	const preface =
		'These skills are instructions for kinds of work. When one fits what you are asked, read it with read_skill before ' +
		'you begin, and follow it. Their scripts are run with run_command, and need approval as every command does.';
	return `${preface}\n${cutText(lines.join('\n'), maxList)}`;
}
