/** The beginning of the result of a call that a hook denied. The reason follows. */
export const hookDenial = 'Denied by a hook: ';
