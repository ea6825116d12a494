import type * as z from 'zod/mini';

/** The words that an argument can be, where its schema is an enum or a list of one; none otherwise. */
export function choicesOf(schema: z.ZodMiniObject, name: string): readonly string[] {
	const type: z.core.$ZodType | undefined = schema.def.shape[name];
	return type ? wordsOf(type) : [];
}

function wordsOf(type: z.core.$ZodType): readonly string[] {
	const {def} = type._zod;
	if (def.type === 'enum' && 'entries' in def) {
		return Object.values(def.entries as z.core.util.EnumLike).map(String);
	}

	const inner = 'innerType' in def ? def.innerType : 'element' in def ? def.element : undefined;
	return inner ? wordsOf(inner as z.core.$ZodType) : [];
}
