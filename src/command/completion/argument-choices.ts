import type * as z from 'zod/mini';

/** Returns the words of an argument whose schema is an enum or a list of one; none for others. */
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
