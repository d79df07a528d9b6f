//! The reference page: every route and every type of the OpenAPI document, as plain HTML.

use super::markdown::{escaped, inline};
use serde_json::{Map, Value};

/// What stands between head and foot of the page.
pub(super) fn html(document: &Value) -> String {
    let info = &document["info"];
    let mut html = format!(
        "<h1>{} <small>{}</small></h1>\n{}",
        escaped(text(&info["title"])),
        escaped(text(&info["version"])),
        paragraphs(text(&info["description"])),
    );
    let tags = document["tags"].as_array().into_iter().flatten();
    for tag in tags.clone() {
        html += &contents(document, text(&tag["name"]));
    }
    for tag in tags {
        html += &section(document, tag);
    }
    html += "<h2 id=\"types\">Types</h2>\n";
    for (name, schema) in entries(&document["components"]["schemas"]) {
        html += &type_section(name, schema);
    }
    html
}

/// One line for each route of a tag, with a link.
fn contents(document: &Value, tag: &str) -> String {
    let mut html = format!("<h3>{}</h3>\n<ul class=\"routes\">\n", escaped(tag));
    for (method, path, operation) in operations(document, tag) {
        html += &format!(
            "<li><a class=\"path\" href=\"#{}\"><span class=\"method\">{method}</span> {}</a> {}</li>\n",
            escaped(text(&operation["operationId"])),
            escaped(path),
            inline(text(&operation["summary"])),
        );
    }
    html + "</ul>\n"
}

fn section(document: &Value, tag: &Value) -> String {
    let name = text(&tag["name"]);
    let mut html = format!(
        "<h2>{}</h2>\n{}",
        escaped(name),
        paragraphs(text(&tag["description"]))
    );
    for (method, path, operation) in operations(document, name) {
        html += &format!(
            "<h3 id=\"{}\"><span class=\"method\">{method}</span> <span class=\"path\">{}</span></h3>\n",
            escaped(text(&operation["operationId"])),
            escaped(path),
        );
        html += &paragraphs(text(&operation["summary"]));
        html += &paragraphs(text(&operation["description"]));
        html += &scope(operation);
        html += &parameters(operation);
        html += &body(operation);
        html += &responses(operation);
    }
    html
}

/// The routes of a tag, in the order of the document.
fn operations<'a>(
    document: &'a Value,
    tag: &'a str,
) -> impl Iterator<Item = (&'a str, &'a str, &'a Value)> {
    entries(&document["paths"]).flat_map(move |(path, item)| {
        entries(item)
            .filter(move |(_, operation)| operation["tags"][0] == tag)
            .map(move |(method, operation)| (method, path, operation))
    })
}

fn scope(operation: &Value) -> String {
    let demands = operation["security"].as_array().into_iter().flatten();
    let scopes: Vec<&str> = demands
        .flat_map(|demand| demand["token"].as_array().into_iter().flatten())
        .map(text)
        .collect();
    match scopes.is_empty() {
        true => "<p class=\"scope\">Needs no token.</p>\n".to_owned(),
        false => {
            let scopes = escaped(&scopes.join(" or "));
            format!("<p class=\"scope\">Needs the scope <code>{scopes}</code>.</p>\n")
        }
    }
}

fn parameters(operation: &Value) -> String {
    let rows = operation["parameters"].as_array().into_iter().flatten();
    let rows: String = rows
        .map(|parameter| {
            format!(
                "<tr><td><code>{}</code></td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
                escaped(text(&parameter["name"])),
                escaped(text(&parameter["in"])),
                type_of(&parameter["schema"]),
                inline(text(&parameter["description"])),
            )
        })
        .collect();
    match rows.is_empty() {
        true => String::new(),
        false => format!("<table><tbody>\n{rows}</tbody></table>\n"),
    }
}

fn body(operation: &Value) -> String {
    let content = entries(&operation["requestBody"]["content"]);
    let bodies = content.map(|(_, body)| format!("<p>Body: {}</p>\n", type_of(&body["schema"])));
    bodies.collect()
}

fn responses(operation: &Value) -> String {
    let rows = entries(&operation["responses"]).map(|(status, response)| {
        let types = entries(&response["content"]).map(|(_, body)| type_of(&body["schema"]));
        format!(
            "<tr><td><code>{}</code></td><td>{}</td><td>{}</td></tr>\n",
            escaped(status),
            types.collect::<Vec<_>>().join(" or "),
            inline(text(&response["description"])),
        )
    });
    format!(
        "<table><tbody>\n{}</tbody></table>\n",
        rows.collect::<String>()
    )
}

fn type_section(name: &str, schema: &Value) -> String {
    let mut html = format!(
        "<h3 id=\"type-{0}\">{0}</h3>\n{1}",
        escaped(name),
        paragraphs(text(&schema["description"]))
    );
    match schema["properties"].is_object() {
        true => html += &fields(schema),
        false => html += &format!("<p>{}</p>\n", type_of(schema)),
    }
    if schema["example"].is_object() {
        let example = serde_json::to_string_pretty(&schema["example"]).unwrap_or_default();
        html += &format!("<pre><code>{}</code></pre>\n", escaped(&example));
    }
    html
}

fn fields(schema: &Value) -> String {
    let required = schema["required"].as_array();
    let is_required = |name: &str| required.is_some_and(|all| all.iter().any(|one| one == name));
    let rows = entries(&schema["properties"]).map(|(name, field)| {
        format!(
            "<tr><td><code>{}</code>{}</td><td>{}</td><td>{}</td></tr>\n",
            escaped(name),
            if is_required(name) { "" } else { "?" },
            type_of(field),
            inline(text(&field["description"])),
        )
    });
    let rows: String = rows.collect();
    match rows.is_empty() {
        true => String::new(),
        false => format!("<table><tbody>\n{rows}</tbody></table>\n"),
    }
}

/// A type in a few words, with links to those that have a name.
fn type_of(schema: &Value) -> String {
    if let Some(name) = schema["$ref"].as_str() {
        let name = escaped(name.rsplit('/').next().unwrap_or(name));
        return format!("<a href=\"#type-{name}\">{name}</a>");
    }
    for (word, joint) in [("oneOf", " or "), ("anyOf", " or "), ("allOf", " and ")] {
        if let Some(choices) = schema[word].as_array() {
            let choices = choices.iter().filter(|choice| choice["type"] != "null");
            let choices: Vec<String> = choices.map(type_of).collect();
            return choices.join(joint);
        }
    }
    if let Some(values) = schema["enum"].as_array() {
        let values = values
            .iter()
            .map(|value| format!("<code>{}</code>", escaped(&value.to_string())));
        return values.collect::<Vec<_>>().join(" ");
    }
    let names = match &schema["type"] {
        Value::String(name) => name.clone(),
        Value::Array(names) => {
            let names = names.iter().map(text).filter(|name| *name != "null");
            names.collect::<Vec<_>>().join(" or ")
        }
        _ => "any".to_owned(),
    };
    match names.as_str() {
        "array" => format!("list of {}", type_of(&schema["items"])),
        "object" if schema["properties"].is_object() => {
            let names = entries(&schema["properties"])
                .map(|(name, field)| format!("<code>{}</code>: {}", escaped(name), type_of(field)));
            format!("{{ {} }}", names.collect::<Vec<_>>().join(", "))
        }
        names => escaped(names),
    }
}

fn paragraphs(text: &str) -> String {
    let each = text.split("\n\n").filter(|part| !part.trim().is_empty());
    each.map(|part| format!("<p>{}</p>\n", inline(part)))
        .collect()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or("")
}

fn entries(value: &Value) -> impl Iterator<Item = (&str, &Value)> {
    let members = value.as_object().into_iter().flat_map(Map::iter);
    members.map(|(name, value)| (name.as_str(), value))
}
