// The rows of examples.csv, the table of a collection (Collection.h has its columns): what they say, how they
// are added, and how classes are renamed and removed in them. Only readExamples() touches a disk. One thread
// at a time for each table.
//
// Names of classes that differ only in the case of ASCII letters are one class. Rows of scenery are of no
// class.
#pragma once

#include "Core/Teaching/ExampleTable.h"
#include "Core/Training/Data/DataSet.h"

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace earshot::teaching {

// Without a file the table is empty. Throws earshot::Error for one that cannot be read or is no such CSV.
ExampleTable readExamples(const std::filesystem::path& csv);
// What is to be written to the file. Throws WriteError if it would not be read as it was meant.
std::string checkedText(const ExampleTable& table, const std::filesystem::path& csv);

std::vector<std::string> labelsOf(const ExampleTable& table, std::size_t row);
std::string againstOf(const ExampleTable& table, std::size_t row); // what it is not; may be empty
// Backgrounds and rooms, whose labels training ignores.
bool isScenery(const ExampleTable& table, std::size_t row);
// As isScenery() and training read it.
const char* sourceType(training::ClipKind kind);

// Whether a row has the label, or is against it. An empty label is no class.
bool hasClass(const ExampleTable& table, std::string_view label);
// As the class is spelled already, if it is there.
std::string spelled(const std::string& name, const ExampleTable& table);

// These three add the columns that are missing.
//
// fields: column and text.
void appendRow(ExampleTable& table, const std::vector<std::pair<std::string_view, std::string>>& fields);
// The name of another class unites the two: what is an example of one and against the other is an example.
void renameClass(ExampleTable& table, std::string_view label, std::string_view name);
// Removes the rows that are of this class only, and returns their files as they were written. Rows that are
// of another class or against one lose the label.
std::vector<std::string> removeClass(ExampleTable& table, std::string_view label);

} // namespace earshot::teaching
