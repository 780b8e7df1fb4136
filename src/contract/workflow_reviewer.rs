//! stub
use super::*;
pub struct WorkflowReviewer;
static SCHEMA: schema::Schema = schema::Schema::new("{}", &[]);
impl Contract for WorkflowReviewer {
    fn id(&self) -> &'static str {
        "workflow-reviewer"
    }
    fn about(&self) -> &'static str {
        ""
    }
    fn carriers(&self) -> &'static str {
        ""
    }
    fn needles(&self) -> &'static [&'static str] {
        &[]
    }
    fn identify(&self, _outline: &Outline<'_>) -> Claim {
        Claim::None
    }
    fn schema(&self) -> &'static schema::Schema {
        &SCHEMA
    }
    fn rules(&self) -> &'static [&'static Rule] {
        &[]
    }
    fn read(&self, _node: &Node<'_>, _setting: &Setting<'_>, _review: &mut Review) {}
}
