/// stub
pub static RULES: &[&crate::contract::Rule] = &[];
