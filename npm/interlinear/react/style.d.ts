// The stylesheet is imported for what it does.
export {};
